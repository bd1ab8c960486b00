# Runs irace, and asks the process that listens on a port of this machine to measure what it wants; shared/talking.py
# says how the two talk.
# Arguments: the numbers of instances, of runs, of iterations, of survivors, of runs before the first test, the seed, and
# the port. The parameters are in parameters.txt.

arguments <- as.integer(commandArgs(trailingOnly = TRUE))
library(irace)
connection <- socketConnection("127.0.0.1", arguments[7], open = "r+b", blocking = TRUE, timeout = 2000000)
writeLines(Sys.getenv("METASMITH_WORD"), connection)
flush(connection)

parameters <- readParameters("parameters.txt")

lines <- function(first, configurations) {
  vapply(seq_along(first), function(i) {
    values <- unlist(lapply(configurations[[i]][parameters$names], as.character))
    paste(c(first[i], paste0(names(values), "=", values)[!is.na(values)]), collapse = "\t")
  }, "")
}

say <- function(what, lines) {
  writeLines(c(paste(what, length(lines)), lines), connection)
  flush(connection)
}

measured <- function(experiments, exec.target.runner, scenario, target.runner) {
  first <- vapply(experiments, function(each) paste(each$instance, format(each$seed, scientific = FALSE)), "")
  say("runs", lines(first, lapply(experiments, function(each) each$configuration)))
  answer <- readLines(connection, n = 1)
  if (length(answer) == 0) stop("nobody is there to measure")
  lapply(as.numeric(strsplit(answer, " ")[[1]]), function(cost) list(cost = cost, time = NA_real_, error = NULL))
}

# Only where irace has chosen the number of iterations itself does it go on after them with what is left: it does here,
# but of fewer if there are not enough runs for those that it would choose.
iterations <- tryCatch({
  utils::assignInNamespace("computeNbIterations", function(nbParameters) arguments[3], "irace")
  0
}, error = function(missing) arguments[3])

elites <- irace(scenario = list(
  targetRunner = function(experiment, scenario) stop("not used"), targetRunnerParallel = measured,
  instances = as.character(seq_len(arguments[1]) - 1), sampleInstances = FALSE, deterministic = FALSE,
  maxExperiments = arguments[2], nbIterations = iterations, minNbSurvival = arguments[4], firstTest = arguments[5],
  mu = arguments[5], seed = arguments[6], logFile = "", quiet = TRUE, execDir = getwd()
), parameters = parameters)
say("elites", lines(rep("elite", nrow(elites)), lapply(seq_len(nrow(elites)), function(i) as.list(elites[i, ]))))
